// Uses a running panel through its public API. `npm run demo -- --help` names the options.
import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const main = fileURLToPath(new URL('../examples/dist/demo/main.js', import.meta.url));
if (!existsSync(main)) {
  console.error('demo: the panel is not built yet: run npm start first, in another terminal');
  process.exit(1);
}
await import(pathToFileURL(main).href);
