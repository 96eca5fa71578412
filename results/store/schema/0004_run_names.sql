-- What a run calls its datasets, models and explainers. component.name is the newest of these names.
CREATE TABLE run_component (
  run TEXT NOT NULL REFERENCES run (key),
  component TEXT NOT NULL REFERENCES component (key),
  name TEXT NOT NULL,
  PRIMARY KEY (run, component)
) STRICT, WITHOUT ROWID;

CREATE INDEX run_component_by_component ON run_component (component, name);

INSERT INTO run_component (run, component, name)
SELECT DISTINCT run_cell.run, component.key, component.name
FROM run_cell
JOIN cell ON cell.key = run_cell.cell
JOIN component ON component.key IN (cell.dataset, cell.model, cell.explainer);

-- The place of a metric in what the run asks for, from 1; 0: from before this schema, not known.
ALTER TABLE run_metric ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
