import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './root.js';

/** The text of a file, named from the root. */
export function readText(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}

/** Files below a folder, also in folders of it, by their paths from the root; none when the folder does not exist. */
export function filesBelow(folder: string, ending: string): string[] {
  const directory = path.join(root, folder);
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending) && !/(^|\/)(dist|node_modules)\//.test(name))
    .map((name) => path.join(folder, name));
}

/** Folders of services, packages, gateway and protos. */
export function workspaces(): string[] {
  const folders = ['services', 'packages'].flatMap((parent) =>
    readdirSync(path.join(root, parent)).map((name) => path.join(parent, name)),
  );
  return [...folders.filter((name) => existsSync(path.join(root, name, 'package.json'))), 'gateway', 'protos'];
}

/** Sources that throw errors: those of services, packages and gateway, without the web console. */
export function sources(): string[] {
  return workspaces()
    .filter((name) => name !== path.join('packages', 'web') && name !== 'protos')
    .flatMap((name) => filesBelow(path.join(name, 'src'), '.ts'));
}
