-- Every number that counts, with the names of what it was scored on; what `conoscope compare` pairs.
--
--   :run        key of a run: only what it asks for; NULL: everything
--   :dataset    :model  :explainer   key, name or plugin id to keep, or a line for each; NULL: all
--   :metric     metric to keep; NULL: all
--   :control    control to keep; NULL: all
--
-- CROSS JOIN keeps SQLite to this order: from the few metrics, and not from the many cells of other runs.
WITH named AS MATERIALIZED (
  SELECT key, kind, plugin_id, plugin_version, params,
         coalesce(run_component.name, component.name) AS name
  FROM component
  LEFT JOIN run_component ON run_component.run = :run AND run_component.component = component.key
  WHERE :run IS NULL OR run_component.run IS NOT NULL)
SELECT current.metric, metric_key.direction, d.name AS dataset, m.name AS model,
       coalesce(e.name, '') AS explainer, cell.control, cell.seed, current.value,
       d.key AS dataset_key, m.key AS model_key, coalesce(e.key, '') AS explainer_key
FROM metric_key
CROSS JOIN current_score AS current
  ON current.metric = metric_key.metric AND current.value IS NOT NULL
CROSS JOIN cell ON cell.key = current.cell
JOIN named AS d ON d.key = cell.dataset
JOIN named AS m ON m.key = cell.model
LEFT JOIN named AS e ON e.key = cell.explainer
WHERE (:control IS NULL OR cell.control = :control)
  AND (:metric IS NULL OR metric_key.metric = :metric)
  AND among(:dataset, d.key, d.name, d.plugin_id)
  AND among(:model, m.key, m.name, m.plugin_id)
  AND among(:explainer, e.key, e.name, e.plugin_id)
  AND (:run IS NULL
       OR (metric_key.metric IN (SELECT metric FROM run_metric WHERE run = :run)
           AND current.cell IN (SELECT cell FROM run_cell WHERE run = :run)))
ORDER BY current.metric, d.name, m.name, e.name, cell.control, cell.seed, cell.key;
