-- The cells that are asked for, in the order of export.sql.
--
--   :run  key of a run; NULL: every run
WITH named AS MATERIALIZED (
  SELECT key, content, plugin_id || '@' || plugin_version AS plugin, params FROM component),
-- Numbers, for a million cells are sorted.
place AS MATERIALIZED (
  SELECT key, dense_rank() OVER (ORDER BY plugin, params) AS number,
         dense_rank() OVER (ORDER BY plugin, params, content) AS with_content
  FROM named)
SELECT cell.key AS cell
FROM cell
JOIN place AS d ON d.key = cell.dataset
JOIN place AS m ON m.key = cell.model
LEFT JOIN place AS e ON e.key = cell.explainer
WHERE EXISTS (SELECT 1 FROM run_cell
              WHERE run_cell.cell = cell.key AND (:run IS NULL OR run_cell.run = :run))
ORDER BY d.with_content, m.number, e.number, cell.seed, cell.control, cell.key;
