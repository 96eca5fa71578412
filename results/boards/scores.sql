-- Every number that counts, with the names of what it was scored on; what `conoscope compare` pairs.
--
--   :run        key of a run: only what it asks for; NULL: everything
--   :dataset    :model  :explainer   key, name or plugin id to keep, or a line for each; NULL: all
--   :metric     metric to keep; NULL: all
--   :control    control to keep; NULL: all
WITH named AS MATERIALIZED (
  SELECT key, kind, plugin_id, plugin_version, params,
         coalesce(run_component.name, component.name) AS name
  FROM component
  LEFT JOIN run_component ON run_component.run = :run AND run_component.component = component.key)
SELECT current.metric, metric_key.direction, d.name AS dataset, m.name AS model,
       coalesce(e.name, '') AS explainer, cell.control, cell.seed, current.value,
       d.key AS dataset_key, m.key AS model_key, coalesce(e.key, '') AS explainer_key
FROM cell
JOIN named AS d ON d.key = cell.dataset
JOIN named AS m ON m.key = cell.model
LEFT JOIN named AS e ON e.key = cell.explainer
JOIN current_score AS current ON current.cell = cell.key AND current.value IS NOT NULL
JOIN metric_key ON metric_key.metric = current.metric
WHERE (:control IS NULL OR cell.control = :control)
  AND (:metric IS NULL OR current.metric = :metric)
  AND among(:dataset, d.key, d.name, d.plugin_id)
  AND among(:model, m.key, m.name, m.plugin_id)
  AND among(:explainer, e.key, e.name, e.plugin_id)
  AND (:run IS NULL OR EXISTS (
    SELECT 1 FROM run_cell
    JOIN run_metric ON run_metric.run = run_cell.run AND run_metric.metric = current.metric
    WHERE run_cell.run = :run AND run_cell.cell = cell.key))
ORDER BY current.metric, d.name, m.name, e.name, cell.control, cell.seed, cell.key;
