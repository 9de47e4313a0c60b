/**
 * The grammar of github.com/distribution/reference: name[:tag][@digest]. Each alternative starts with characters the one
 * before cannot end with, so matching is linear; the length is bounded all the same before it is matched.
 */
const domainPart = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const domain = `(?:${domainPart}(?:\\.${domainPart})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]{1,5})?`;
const pathPart = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const name = `(?:${domain}/)?${pathPart}(?:/${pathPart})*`;
const tag = '[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,127}';
const digest = '[A-Za-z][A-Za-z0-9]*(?:[+._-][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,128}';
const pattern = new RegExp(`^(${name})(?::(${tag}))?(?:@(${digest}))?$`);
const maxNameLength = 255;

export interface ImageReference {
  /** As the engine understands it, with a tag or a digest. */
  readonly reference: string;
  readonly repository: string;
  /** A tag, or a digest when there is one. */
  readonly version: string;
  /** A digest always means the same bytes. */
  readonly isPinned: boolean;
  /** Written with a leading `~`: it exists on the node only and is never pulled. */
  readonly isLocal: boolean;
}

/** The parts of a reference to a container image; null when the text is none. */
export function parseImageReference(text: string): ImageReference | null {
  const isLocal = text.startsWith('~');
  const given = isLocal ? text.slice(1) : text;
  const match = given.length <= maxNameLength + 300 ? pattern.exec(given) : null;
  const repository = match?.[1];
  if (!match || repository === undefined || repository.length > maxNameLength) return null;
  const pinned = match[3];
  const version = pinned ?? match[2] ?? 'latest';
  const reference = pinned ? `${repository}@${pinned}` : `${repository}:${version}`;
  return { reference, repository, version, isPinned: pinned !== undefined, isLocal };
}
