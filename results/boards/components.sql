-- The datasets, models and explainers of a run, with licence and citation of their plugins.
--
--   :run  key of a run
WITH used AS (
  SELECT cell.dataset AS key FROM run_cell JOIN cell ON cell.key = run_cell.cell
  WHERE run_cell.run = :run
  UNION
  SELECT cell.model FROM run_cell JOIN cell ON cell.key = run_cell.cell WHERE run_cell.run = :run
  UNION
  SELECT cell.explainer FROM run_cell JOIN cell ON cell.key = run_cell.cell
  WHERE run_cell.run = :run AND cell.explainer IS NOT NULL)
SELECT component.kind, coalesce(run_component.name, component.name) AS name,
       component.plugin_id || ' ' || component.plugin_version AS plugin, component.params,
       (SELECT min(plugin.licence) FROM plugin
        WHERE plugin.kind = component.kind AND plugin.id = component.plugin_id
          AND plugin.version = component.plugin_version) AS licence,
       (SELECT min(plugin.citation) FROM plugin
        WHERE plugin.kind = component.kind AND plugin.id = component.plugin_id
          AND plugin.version = component.plugin_version) AS citation
FROM used
JOIN component ON component.key = used.key
LEFT JOIN run_component ON run_component.run = :run AND run_component.component = component.key
ORDER BY CASE component.kind WHEN 'dataset' THEN 0 WHEN 'model' THEN 1 ELSE 2 END,
         name, component.key;
