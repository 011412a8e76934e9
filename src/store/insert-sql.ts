/** A statement that writes one row of these columns, by position. */
export function insertSql(table: string, names: readonly string[]): string {
  const places = names.map(() => '?').join(', ');
  return `INSERT INTO ${table} (${names.join(', ')}) VALUES (${places})`;
}

/** The same where the row may be there already. */
export function replaceSql(table: string, names: readonly string[]): string {
  return insertSql(table, names).replace('INSERT', 'INSERT OR REPLACE');
}
