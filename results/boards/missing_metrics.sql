-- Which of the given metrics a cell has no score row for. None, where the cell is not applicable.
--
--   :cell     key of the cell
--   :metrics  JSON array of names
SELECT DISTINCT value AS metric
FROM json_each(:metrics)
WHERE NOT EXISTS (SELECT 1 FROM current_score AS current
                  WHERE current.metric = json_each.value AND current.cell = :cell)
  AND 'not_applicable' IS NOT (SELECT status FROM good_attempt WHERE cell = :cell
                               ORDER BY started_at DESC, id DESC LIMIT 1)
ORDER BY metric;
