-- Scores of one metric by explainer and seed, with the parameters: what is sorted by K elsewhere.
--
--   :metric     the metric
--   :run        key of a run; NULL: whatever any run asked for
--   :dataset    :model  :explainer   key, name or plugin id to keep, or a line for each; NULL: all
--
-- One row per asked cell; value is NULL where there is no number. Controls are left out.
WITH named AS MATERIALIZED (
  SELECT key, kind, plugin_id, plugin_version, params,
         coalesce(run_component.name, component.name) AS name
  FROM component
  LEFT JOIN run_component ON run_component.run = :run AND run_component.component = component.key)
SELECT d.name AS dataset, d.key AS dataset_key, m.name AS model, m.key AS model_key,
       e.name AS explainer, e.plugin_id, e.plugin_version, e.params,
       cell.seed, current.value
FROM cell
JOIN named AS d ON d.key = cell.dataset
JOIN named AS m ON m.key = cell.model
JOIN named AS e ON e.key = cell.explainer
LEFT JOIN current_score AS current ON current.metric = :metric AND current.cell = cell.key
WHERE cell.control = 'none'
  AND among(:dataset, d.key, d.name, d.plugin_id)
  AND among(:model, m.key, m.name, m.plugin_id)
  AND among(:explainer, e.key, e.name, e.plugin_id)
  AND EXISTS (SELECT 1 FROM run_cell
              JOIN run_metric ON run_metric.run = run_cell.run AND run_metric.metric = :metric
              WHERE run_cell.cell = cell.key AND (:run IS NULL OR run_cell.run = :run))
ORDER BY d.name, d.key, m.name, m.key, e.plugin_id, e.plugin_version, e.params, cell.seed;
