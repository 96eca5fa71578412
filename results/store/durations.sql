-- Median seconds of the successful attempts in which each component took part. What only compares a
-- cell with others says nothing about the time that it takes.
WITH made AS (
  SELECT cell, seconds FROM attempt
  WHERE status = 'ok' AND id NOT IN (SELECT attempt FROM attempt_peer)),
duration AS (
  SELECT cell.dataset AS component, a.seconds FROM cell
  JOIN made AS a ON a.cell = cell.key
  UNION ALL
  SELECT cell.model, a.seconds FROM cell
  JOIN made AS a ON a.cell = cell.key
  UNION ALL
  SELECT cell.explainer, a.seconds FROM cell
  JOIN made AS a ON a.cell = cell.key WHERE cell.explainer IS NOT NULL),
placed AS (
  SELECT component, seconds,
         row_number() OVER (PARTITION BY component ORDER BY seconds) AS place,
         count(*) OVER (PARTITION BY component) AS n
  FROM duration)
SELECT component, avg(seconds) AS seconds
FROM placed
WHERE place IN ((n + 1) / 2, (n + 2) / 2)
GROUP BY component
ORDER BY component;
