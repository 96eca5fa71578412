-- What a cell is.
--
--   :cell  key of the cell
SELECT cell.key AS cell,
       d.name AS dataset, d.plugin_id || '@' || d.plugin_version AS dataset_plugin,
       d.params AS dataset_params, d.content AS dataset_content,
       m.name AS model, m.plugin_id || '@' || m.plugin_version AS model_plugin,
       m.params AS model_params,
       e.name AS explainer, e.plugin_id || '@' || e.plugin_version AS explainer_plugin,
       e.params AS explainer_params,
       cell.seed, cell.control
FROM cell
JOIN component AS d ON d.key = cell.dataset
JOIN component AS m ON m.key = cell.model
LEFT JOIN component AS e ON e.key = cell.explainer
WHERE cell.key = :cell;
