import { addProblem, type FieldMessages, fieldProblem, type FieldProblem } from '@panel/kit/errors';
import { parseImageReference } from '@panel/kit/text';

/** As `docker login` writes it, without the slash at the end. */
const hubNames: ReadonlySet<string> = new Set(['https://index.docker.io/v1', 'index.docker.io']);

/** In lower case, as image references name it. Adds what is wrong to `fields`. */
export function readHost(given: string, fields: FieldMessages): string {
  const host = given.trim().toLowerCase().replace(/\/$/, '');
  if (hubNames.has(host)) return 'docker.io';
  const problem = problemOf(host);
  if (problem !== null) addProblem(fields, 'host', problem);
  return host;
}

function problemOf(host: string): FieldProblem | null {
  if (host === '') return fieldProblem('required', 'is required');
  if (host.includes('://')) return 'must have no scheme: ghcr.io instead of https://ghcr.io';
  if (host.includes('/')) return 'must have no path: ghcr.io instead of ghcr.io/owner';
  const port = Number(/:(\d+)$/.exec(host)?.[1] ?? 443);
  const isNamed = parseImageReference(`${host}/image`)?.registry === host;
  if (isNamed && port >= 1 && port <= 65_535) return null;
  return 'must be a host that image references can name, like ghcr.io or registry.example.com:5000';
}
