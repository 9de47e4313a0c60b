/** CREATE up to its DEFINER, also inside of the conditional comments of dumps; names and texts come later. */
const definer =
  /^(\s*(?:\/\*M?!\d*\s*)?CREATE\b[^'"`(;]{0,120}?)\bDEFINER\s*=\s*(?:`[^`]*`|'[^']*'|\w+)(?:@(?:`[^`]*`|'[^']*'|[\w.%-]+))?/i;

/**
 * A statement that makes a view, trigger, routine or event for the user who runs it. Dumps name the user that made it in the
 * database they come from, whom the user of another database may not name.
 */
export function withoutDefiner(statement: string): string {
  return statement.replace(definer, '$1');
}
