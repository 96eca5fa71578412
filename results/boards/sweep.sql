-- Scores of one metric by explainer and seed, with the parameters: what is sorted by K elsewhere.
--
--   :metric     the metric
--   :run        key of a run; NULL: whatever any run asked for
--   :dataset    :model  :explainer   key, name or plugin id to keep; NULL: all
--
-- One row per asked cell; value is NULL where there is no number. Controls are left out.
SELECT d.name AS dataset, d.key AS dataset_key, m.name AS model, m.key AS model_key,
       e.name AS explainer, e.plugin_id, e.plugin_version, e.params,
       cell.seed, current.value
FROM cell
JOIN component AS d ON d.key = cell.dataset
JOIN component AS m ON m.key = cell.model
JOIN component AS e ON e.key = cell.explainer
LEFT JOIN current_score AS current ON current.metric = :metric AND current.cell = cell.key
WHERE cell.control = 'none'
  AND (:dataset IS NULL OR :dataset IN (d.key, d.name, d.plugin_id))
  AND (:model IS NULL OR :model IN (m.key, m.name, m.plugin_id))
  AND (:explainer IS NULL OR :explainer IN (e.key, e.name, e.plugin_id))
  AND EXISTS (SELECT 1 FROM run_cell
              JOIN run_metric ON run_metric.run = run_cell.run AND run_metric.metric = :metric
              WHERE run_cell.cell = cell.key AND (:run IS NULL OR run_cell.run = :run))
ORDER BY d.name, d.key, m.name, m.key, e.plugin_id, e.plugin_version, e.params, cell.seed;
