import { fileURLToPath } from 'node:url';

export type { SidecarOptions } from './main.js';
export { user as sidecarUser } from './authentication.js';
export * from './native-library.js';

/** Takes `SidecarOptions` as JSON in its only argument. */
export const sidecarFile = fileURLToPath(new URL('./main.js', import.meta.url));
