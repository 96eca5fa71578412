-- Why scores have no number, and what to mind about those that have one: how often in each run.
--
--   :run  key of a run; NULL: every run
--
-- CROSS JOIN keeps SQLite to this order, along keys: no table is looked through for every run.
SELECT run.name AS run, score.reason,
       CASE count(DISTINCT score.metric)
         WHEN 1 THEN min(score.metric) ELSE count(DISTINCT score.metric) || ' metrics'
       END AS metric,
       count(*) AS scores, score.message
FROM run
CROSS JOIN run_cell ON run_cell.run = run.key
CROSS JOIN run_metric ON run_metric.run = run.key
CROSS JOIN current_score AS current
  ON current.metric = run_metric.metric AND current.cell = run_cell.cell
CROSS JOIN score
  ON score.attempt = current.attempt AND score.metric = current.metric AND score.message <> ''
WHERE :run IS NULL OR run.key = :run
GROUP BY run.key, score.reason, score.message
ORDER BY run.created_at, run.key, score.reason, scores DESC, score.message;
