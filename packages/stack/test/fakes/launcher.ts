import { fileURLToPath } from 'node:url';
import { runLauncher } from '../../src/main.js';

/* `npm start` with stand-in services, as scripts/start.mjs runs it after the build. */
await import(new URL('../../../../../scripts/stop-with-npm.mjs', import.meta.url).href);
await runLauncher({ programOf: () => fileURLToPath(new URL('./service.js', import.meta.url)) });
