/** Also in conditional comments; names and texts follow it. */
const definer =
  /^(\s*(?:\/\*M?!\d*\s*)?CREATE\b[^'"`(;]{0,120}?)\bDEFINER\s*=\s*(?:`[^`]*`|'[^']*'|\w+)(?:@(?:`[^`]*`|'[^']*'|[\w.%-]+))?/i;

/** Dumps name a user of the source database, which another user may not set. */
export function withoutDefiner(statement: string): string {
  return statement.replace(definer, '$1');
}
