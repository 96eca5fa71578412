-- What the attempts at a cell were made of: components, and the plugin files that they came from.
--
--   :cell  key of the cell
SELECT attempt.id AS attempt, component.kind, component.key AS component, plugin.sha256, cell.seed,
       cell.control, environment.text AS environment, attempt.binaries
FROM attempt
JOIN environment ON environment.key = attempt.environment
JOIN cell ON cell.key = attempt.cell
JOIN component ON component.key IN (cell.dataset, cell.model, cell.explainer)
JOIN plugin ON plugin.kind = component.kind AND plugin.id = component.plugin_id
  AND plugin.version = component.plugin_version
  AND instr(attempt.binaries,
            plugin.id || ' ' || plugin.version || ' ' || substr(plugin.sha256, 1, 16)) > 0
WHERE attempt.cell = :cell
ORDER BY attempt.status IN ('ok', 'not_applicable') DESC, attempt.number DESC, attempt.id,
         component.kind;
