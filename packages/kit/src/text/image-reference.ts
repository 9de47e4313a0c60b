/**
 * The grammar of github.com/distribution/reference: name[:tag][@digest]. No alternative starts with a character that
 * may end its predecessor, so matching is linear.
 */
const domainPart = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const domain = `(?:${domainPart}(?:\\.${domainPart})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]{1,5})?`;
const pathPart = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const name = `(?:${domain}/)?${pathPart}(?:/${pathPart})*`;
const tag = '[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,127}';
const digest = '[A-Za-z][A-Za-z0-9]*(?:[+._-][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,128}';
const pattern = new RegExp(`^(${name})(?::(${tag}))?(?:@(${digest}))?$`);
const maxNameLength = 255;

const dockerHub = 'docker.io';

export interface ImageReference {
  /** For the engine, with a tag or a digest. */
  readonly reference: string;
  readonly repository: string;
  /** Host and port in lower case; `docker.io` where the name has none. */
  readonly registry: string;
  /** The digest, else the tag. */
  readonly version: string;
  /** A digest fixes the content. */
  readonly isPinned: boolean;
  /** A leading `~`: exists on the node only, never pulled. */
  readonly isLocal: boolean;
}

/** Null for other text. */
export function parseImageReference(text: string): ImageReference | null {
  const isLocal = text.startsWith('~');
  const given = isLocal ? text.slice(1) : text;
  const match = given.length <= maxNameLength + 300 ? pattern.exec(given) : null;
  const repository = match?.[1];
  if (!match || repository === undefined || repository.length > maxNameLength) return null;
  const pinned = match[3];
  const version = pinned ?? match[2] ?? 'latest';
  const reference = pinned ? `${repository}@${pinned}` : `${repository}:${version}`;
  const registry = registryOf(repository);
  return { reference, repository, registry, version, isPinned: pinned !== undefined, isLocal };
}

/** As engines read names: a first part is a host if it can be nothing else. */
function registryOf(repository: string): string {
  const first = repository.slice(0, Math.max(repository.indexOf('/'), 0));
  if (!/[.:A-Z]/.test(first) && first !== 'localhost') return dockerHub;
  const host = first.toLowerCase();
  return host === `index.${dockerHub}` ? dockerHub : host;
}
