-- The tables that pictures are drawn from, of every cell that has them: the parts of one summary,
-- cell by cell.
--
--   :summary  its name as a metric
--   :run      key of a run; NULL: every run
SELECT cell.key AS cell, d.name AS dataset, m.name AS model, coalesce(e.name, '') AS explainer,
       cell.control, cell.seed, cell.dataset AS dataset_key, cell.model AS model_key,
       coalesce(cell.explainer, '') AS explainer_key, part.part, part.value
FROM current_score AS current
JOIN cell ON cell.key = current.cell
JOIN component AS d ON d.key = cell.dataset
JOIN component AS m ON m.key = cell.model
LEFT JOIN component AS e ON e.key = cell.explainer
JOIN sample_score AS part ON part.attempt = current.attempt AND part.metric = :summary
WHERE current.metric = :summary
  AND (:run IS NULL
       OR EXISTS (SELECT 1 FROM run_cell WHERE run_cell.run = :run AND run_cell.cell = cell.key))
ORDER BY d.name, m.name, explainer, cell.control, cell.seed, cell.key, part.part;
