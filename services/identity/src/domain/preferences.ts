const maxBytes = 32 * 1024;
const maxDepth = 16;

/** Canonical text, or the problem: not a JSON object, or beyond the bounds. */
export function parsePreferences(json: string): { readonly json: string } | string {
  if (Buffer.byteLength(json) > 2 * maxBytes) return tooLarge;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    if (error instanceof SyntaxError) return 'must be JSON';
    throw error;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be an object';
  if (depthOf(value, 0) > maxDepth) return `must have at most ${maxDepth} levels`;
  const canonical = JSON.stringify(value);
  return Buffer.byteLength(canonical) > maxBytes ? tooLarge : { json: canonical };
}

const tooLarge = `must be at most ${maxBytes / 1024} KiB`;

/** Stops beyond the limit. */
function depthOf(value: unknown, above: number): number {
  if (typeof value !== 'object' || value === null || above > maxDepth) return above;
  return Math.max(above + 1, ...Object.values(value).map((one) => depthOf(one, above + 1)));
}
