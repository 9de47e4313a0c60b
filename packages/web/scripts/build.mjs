// npm run build:web: builds the web console when a source has changed and prints its sizes.
import { buildSite, isSiteStale, measureSite } from './site.mjs';

if (isSiteStale() || process.argv.includes('--force')) {
  await buildSite();
  const sizes = measureSite().map(({ name, size, limit }) => `${name} ${size.toFixed(1)}/${limit}`);
  process.stdout.write(`web console (kB, gzip): ${sizes.join(', ')}\n`);
}
