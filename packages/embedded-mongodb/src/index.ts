import { fileURLToPath } from 'node:url';

export type { SidecarOptions } from './main.js';
export { user as sidecarUser } from './authentication.js';
export * from './native-library.js';

/** The program of the engine's process, with `SidecarOptions` as JSON in its only argument. */
export const sidecarFile = fileURLToPath(new URL('./main.js', import.meta.url));
