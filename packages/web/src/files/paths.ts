export function joinPath(directory: string, name: string): string {
  return directory === '/' ? `/${name}` : `${directory}/${name}`;
}

/** The entry is there already, or is or contains the directory. */
export function isWithin(path: string, directory: string): boolean {
  return parentOf(path) === directory || directory === path || directory.startsWith(`${path}/`);
}

export function parentOf(path: string): string {
  const at = path.lastIndexOf('/');
  return at <= 0 ? '/' : path.slice(0, at);
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Ancestors of a path, root first. */
export function crumbsOf(directory: string): { readonly name: string; readonly path: string }[] {
  const names = directory.split('/').filter((name) => name !== '');
  return [
    { name: '/', path: '/' },
    ...names.map((name, index) => ({ name, path: `/${names.slice(0, index + 1).join('/')}` })),
  ];
}

export function isArchive(name: string): boolean {
  return /\.(zip|tar|tgz|7z|rar|tar\.(gz|bz2|xz|zst))$/i.test(name);
}
