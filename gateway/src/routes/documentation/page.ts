import type { Body, OpenApiDocument, Operation, Parameter } from '../../openapi/document.js';
import type { JsonSchema } from '../../openapi/json-schema.js';
import { html, type Html, joined, markup } from './html.js';
import { renderSchema, wordsOf } from './schema-table.js';

export const styleSheet = `
:root{color-scheme:light dark;--line:#8884;--soft:#8881;--get:#1a7f4b;--post:#1f5fbf;--put:#a5620a;--delete:#b3282d}
*{box-sizing:border-box}
body{margin:0;font:15px/1.55 system-ui,sans-serif;display:grid;grid-template-columns:17rem minmax(0,1fr)}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1.25rem;border-right:1px solid var(--line)}
nav a{display:block;padding:.15rem 0;color:inherit;text-decoration:none}nav a:hover{text-decoration:underline}
main{padding:1.5rem 2rem 6rem;max-width:68rem}
h1{font-size:1.6rem;margin:0 0 .5rem}h2{margin:2.5rem 0 .25rem;font-size:1.25rem}h3{font-size:.95rem;margin:1.1rem 0 .3rem}
code,pre{font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
pre{background:var(--soft);padding:.75rem 1rem;border-radius:6px;overflow:auto;max-height:28rem;margin:.4rem 0}
code{background:var(--soft);padding:.1rem .3rem;border-radius:4px}pre code{background:none;padding:0}
details.op{border:1px solid var(--line);border-radius:8px;margin:.5rem 0}
details.op>summary{cursor:pointer;padding:.55rem .8rem;display:flex;gap:.75rem;align-items:baseline;flex-wrap:wrap}
details.op[open]>summary{border-bottom:1px solid var(--line)}
details.op>div{padding:.25rem 1rem 1rem}
.m{font:700 12px/1 ui-monospace,monospace;color:#fff;border-radius:4px;padding:.3rem 0;width:4.2rem;text-align:center;flex:none}
.get{background:var(--get)}.post{background:var(--post)}.put{background:var(--put)}.delete{background:var(--delete)}
.path{font-weight:600;background:none;padding:0;overflow-wrap:anywhere}.what{opacity:.8}.planned{opacity:.55}
table{border-collapse:collapse;width:100%;margin:.3rem 0}td,th{text-align:left;vertical-align:top;padding:.3rem .6rem .3rem 0;border-bottom:1px solid var(--line)}
th{font-weight:600;font-size:.85rem;opacity:.75}td:first-child{white-space:nowrap}.muted{opacity:.7}
@media(max-width:56rem){body{display:block}nav{position:static;height:auto;border-right:0;border-bottom:1px solid var(--line)}main{padding:1rem}}
`;

/** The document as one page that needs nothing else: no script, no font, no image, no network. */
export function renderPage(document: OpenApiDocument): string {
  const info = document.info as { title: string; description: string };
  const chapters = document.tags.map(({ name, description }) => ({
    name,
    description,
    id: name.toLowerCase().replace(/[^a-z]+/g, '-'),
    operations: operationsOf(document, name),
  }));
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${info.title}: API</title>
        ${markup(`<style>${styleSheet}</style>`)}
      </head>
      <body>
        <nav>
          <strong>${info.title}</strong>
          ${joined(chapters.map(({ id, name }) => html`<a href="#${id}">${name}</a>`))}
          <p><a href="/api/v1/openapi.json">openapi.json</a></p>
        </nav>
        <main>
          <h1>${info.title}: API</h1>
          <p>${prose(info.description)}</p>
          ${joined(chapters.map((chapter) => renderChapter(document, chapter)))}
        </main>
      </body>
    </html> `;
  return page.text;
}

interface Chapter {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly operations: readonly Listed[];
}

interface Listed {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

function operationsOf(document: OpenApiDocument, tag: string): Listed[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => ({ method, path, operation })),
  );
}

function renderChapter(document: OpenApiDocument, { id, name, description, operations }: Chapter): Html {
  return html`<section>
    <h2 id="${id}">${name}</h2>
    <p class="muted">${description}</p>
    ${joined(operations.map((listed) => renderOperation(document, listed)))}
  </section>`;
}

function renderOperation(document: OpenApiDocument, { method, path, operation }: Listed): Html {
  const isPlanned = '501' in operation.responses;
  return html`<details class="op" id="${operation.operationId}">
    <summary class="${isPlanned ? 'planned' : ''}">
      <span class="m ${method}">${method.toUpperCase()}</span> <code class="path">${path}</code>
      <span class="what">${prose(operation.summary)}${isPlanned ? ' (planned)' : ''}</span>
    </summary>
    <div>
      <p>${prose(operation.description)}</p>
      ${renderParameters(operation.parameters)} ${renderBody(document, operation.requestBody)}
      ${joined(Object.entries(operation.responses).map(([status, answer]) => renderAnswer(document, status, answer)))}
    </div>
  </details>`;
}

function renderParameters(parameters: readonly Parameter[]): Html {
  if (parameters.length === 0) return markup('');
  const rows = parameters.map(
    ({ name, in: place, required, description, schema }) =>
      html`<tr>
        <td><code>${name}</code></td>
        <td>${place}${required ? ', required' : ''}</td>
        <td>${schema.format ?? wordsOf(schema.type)}</td>
        <td>${prose(description ?? '')}</td>
      </tr>`,
  );
  return html`<h3>Parameters</h3>
    <table>
      ${joined(rows)}
    </table>`;
}

function renderBody(document: OpenApiDocument, body: Body | undefined): Html {
  if (!body) return markup('');
  const parts = Object.entries(body.content).map(
    ([type, { schema, example }]) =>
      html`<h3>Body: ${type}</h3>
        ${renderSchema(schema, document.components.schemas)} ${renderExample(example)}`,
  );
  return joined(parts);
}

interface Answer {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Body['content'];
}

function renderAnswer(document: OpenApiDocument, status: string, answer: Answer): Html {
  if (answer.$ref !== undefined) {
    const name = answer.$ref.split('/').pop() ?? '';
    const { description = '' } = (document.components.responses as Record<string, Answer>)[name] ?? {};
    return html`<p class="muted"><strong>${status}</strong> ${description}</p>`;
  }
  const parts = Object.entries(answer.content ?? {}).map(([type, { schema, example }]) =>
    example === undefined
      ? html`<p>${type}</p>`
      : html`${renderSchema(dataOf(schema), document.components.schemas)} ${renderExample(example)}`,
  );
  return html`<h3>${status} ${answer.description ?? ''}</h3>
    ${joined(parts)}`;
}

/** What the envelope holds; of a list, one item. */
function dataOf(schema: JsonSchema): JsonSchema {
  const data = schema.properties?.['data'];
  return data?.items ?? data ?? schema;
}

function renderExample(example: unknown): Html {
  if (example === undefined) return markup('');
  return html`<pre><code>${JSON.stringify(example, null, 2)}</code></pre>`;
}

/** Text with `code` in it. */
function prose(text: string): Html {
  return joined(text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`)));
}
