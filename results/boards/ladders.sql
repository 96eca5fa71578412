-- Scores of the subjects that sanity ladders are made of, seed by seed.
--
--   :metric   the metric
--   :run      key of a run
--
-- A step is an explainer (perfect, random_importance, random_concepts, by name or plugin id) or a
-- model without one (ladder_*). value is NULL where there is no number. Controls are left out.
WITH named AS MATERIALIZED (
  SELECT key, kind, plugin_id, plugin_version, params, run_component.name
  FROM run_component
  JOIN component ON component.key = run_component.component
  WHERE run_component.run = :run)
SELECT d.name AS dataset, m.name AS model, m.plugin_id AS model_plugin, m.params,
       coalesce(e.name, '') AS explainer, coalesce(e.plugin_id, '') AS explainer_plugin,
       cell.seed, current.value, metric_key.direction, metric_key.unit,
       coalesce(e.params, '') AS explainer_params
FROM run_cell
JOIN cell ON cell.key = run_cell.cell
JOIN named AS d ON d.key = cell.dataset
JOIN named AS m ON m.key = cell.model
LEFT JOIN named AS e ON e.key = cell.explainer
JOIN metric_key ON metric_key.metric = :metric
LEFT JOIN current_score AS current ON current.metric = :metric AND current.cell = cell.key
WHERE run_cell.run = :run AND cell.control = 'none'
  AND (e.plugin_id IN ('perfect', 'random_importance', 'random_concepts')
       OR e.name IN ('perfect', 'random_importance', 'random_concepts')
       OR (e.key IS NULL AND substr(m.plugin_id, 1, 7) = 'ladder_'))
ORDER BY d.name, m.name, e.name, cell.seed, cell.key;
