import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

export interface ViewerAsset {
  readonly path: string;
  readonly type: string;
  /** Read once. */
  readonly content: () => Promise<Buffer | string>;
}

/**
 * Relative URLs work behind a path prefix. `validatorUrl: null`: no upload of the document to an internet validator.
 */
const startScript = `SwaggerUIBundle({
  url: 'api/v1/openapi.json',
  dom_id: '#viewer',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  persistAuthorization: false,
  tryItOutEnabled: true,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis],
});
`;

function packageAsset(path: string, type: string, module: string): ViewerAsset {
  let content: Promise<Buffer> | null = null;
  return { path, type, content: async () => (content ??= readFile(fileURLToPath(import.meta.resolve(module)))) };
}

export const viewerAssets: readonly ViewerAsset[] = [
  packageAsset('/docs/swagger-ui.css', 'text/css', 'swagger-ui-dist/swagger-ui.css'),
  packageAsset('/docs/swagger-ui-bundle.js', 'text/javascript', 'swagger-ui-dist/swagger-ui-bundle.js'),
  { path: '/docs/start.js', type: 'text/javascript', content: async () => startScript },
];

/** This panel only. Swagger UI needs style attributes and data: icons. */
export const viewerPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

export const viewerPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Game server panel: API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<div id="viewer"></div>
<noscript>The viewer needs JavaScript. The document itself is at <a href="api/v1/openapi.json">openapi.json</a>.</noscript>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;
