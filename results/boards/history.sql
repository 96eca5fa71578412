-- Scores of a metric over time, oldest first; attempts that no longer count are marked. version, file: of
-- the explainer, else the model, and the start of its file's SHA-256; conoscope: the version of the
-- program, with its commit; counts: whether this is the score of its cell, the newest that is valid.
--
--   :metric     the metric
--   :component  key, name or plugin id of a dataset, model or explainer, or a line for each; NULL: all
--   :control    control to keep; NULL: all
--
-- CROSS JOIN: whether an attempt has a score of the metric is looked up first.
WITH program AS MATERIALIZED (
  SELECT key, substr(rest, 1, instr(rest, char(10)) - 1) AS version
  FROM (SELECT key, substr(text, instr(text, char(10) || 'conoscope: ') + 12) AS rest
        FROM environment WHERE instr(text, char(10) || 'conoscope: ') > 0))
SELECT a.started_at, run.name AS run, coalesce(dn.name, d.name) AS dataset, coalesce(mn.name, m.name) AS model,
       coalesce(en.name, e.name) AS explainer,
       cell.control, cell.seed, s.value, s.reason, nullif(s.message, '') AS message,
       EXISTS (SELECT 1 FROM retraction WHERE retraction.attempt = a.id) AS retracted,
       coalesce(e.plugin_version, m.plugin_version) AS version,
       (SELECT substr(sha256, 1, 16) FROM plugin
        WHERE plugin.kind = coalesce(e.kind, m.kind)
          AND plugin.id = coalesce(e.plugin_id, m.plugin_id)
          AND plugin.version = coalesce(e.plugin_version, m.plugin_version)
          AND instr(a.binaries, plugin.id || ' ' || plugin.version || ' '
                                || substr(plugin.sha256, 1, 16)) > 0) AS file,
       program.version AS conoscope,
       EXISTS (SELECT 1 FROM current_score AS current WHERE current.metric = s.metric
               AND current.cell = cell.key AND current.attempt = a.id) AS counts,
       a.environment, a.id AS attempt
FROM attempt AS a
CROSS JOIN score AS s ON s.attempt = a.id AND s.metric = :metric
CROSS JOIN cell ON cell.key = a.cell
JOIN component AS d ON d.key = cell.dataset
JOIN component AS m ON m.key = cell.model
LEFT JOIN component AS e ON e.key = cell.explainer
LEFT JOIN run_component AS dn ON dn.run = a.run AND dn.component = d.key
LEFT JOIN run_component AS mn ON mn.run = a.run AND mn.component = m.key
LEFT JOIN run_component AS en ON en.run = a.run AND en.component = e.key
JOIN run ON run.key = a.run
LEFT JOIN program ON program.key = a.environment
WHERE (:control IS NULL OR cell.control = :control)
  AND among(:component, d.key, coalesce(dn.name, d.name), d.plugin_id,
            m.key, coalesce(mn.name, m.name), m.plugin_id,
            e.key, coalesce(en.name, e.name), e.plugin_id)
ORDER BY a.number, a.id;
