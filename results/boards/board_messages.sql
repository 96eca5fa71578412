-- What a metric says about the scores of a board's entries, each text once.
--
--   :metric  the metric
--   :run     key of a run; NULL: whatever any run asked for
--
-- CROSS JOIN keeps SQLite to this order: from the scores that count, of one metric.
SELECT DISTINCT cell.dataset AS dataset_key, cell.model AS model_key,
       coalesce(cell.explainer, '') AS explainer_key, cell.control, score.message
FROM current_score AS current
CROSS JOIN score ON score.attempt = current.attempt AND score.metric = current.metric
CROSS JOIN cell ON cell.key = current.cell
WHERE current.metric = :metric AND score.message <> ''
  AND EXISTS (SELECT 1 FROM run_cell
              JOIN run_metric ON run_metric.run = run_cell.run AND run_metric.metric = :metric
              WHERE run_cell.cell = cell.key AND (:run IS NULL OR run_cell.run = :run))
ORDER BY score.message;
