/** Of one language, whatever the machine speaks. */
const COLLATOR = new Intl.Collator("en");

/**
 * In the order that people expect. Not the database's: SQLite puts "Zoe" before "anna", and PostgreSQL does what the
 * locale of its cluster says. The rest of the order is as it was.
 */
export function byName<T>(rows: readonly T[], nameOf: (row: T) => string): readonly T[] {
  return rows.toSorted((left, right) => COLLATOR.compare(nameOf(left), nameOf(right)));
}
