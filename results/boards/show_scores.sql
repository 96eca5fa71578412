-- The scores that count for a cell.
--
--   :cell  key of the cell
SELECT metric_key.grp AS "group", current.metric, current.value, current.reason,
       metric_key.direction, metric_key.low, metric_key.high, metric_key.unit, current.attempt
FROM metric_key
JOIN current_score AS current ON current.metric = metric_key.metric AND current.cell = :cell
ORDER BY metric_key.grp, current.metric;
