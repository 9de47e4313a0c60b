import type { OpenApiDocument } from '../../openapi/document.js';
import { html, type Html, joined, markup, prose } from './html.js';
import { type Listed, renderOperation } from './operation.js';
import { renderOverview } from './overview.js';
import { renderSchema } from './schema-table.js';
import { styleSheet } from './style.js';

interface Chapter {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly operations: readonly Listed[];
}

/** The document as one page that needs nothing else: no script, no font, no image, no network. */
export function renderPage(document: OpenApiDocument): string {
  const { title } = document.info as { title: string };
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
        <title>${title}: API</title>
        ${markup(`<style>${styleSheet}</style>`)}
      </head>
      <body>
        ${renderNavigation(title, chapters)}
        <main>
          <h1 id="top">${title}: API</h1>
          ${renderOverview(document)} ${joined(chapters.map(renderChapter))}
          ${renderObjects(document.components.schemas)}
        </main>
      </body>
    </html> `;
  return page.text;
}

function renderNavigation(title: string, chapters: readonly Chapter[]): Html {
  return html`<nav>
    <strong><a href="#top">${title}</a></strong>
    <a href="#lists">Lists</a><a href="#repeating">Repeating a request</a><a href="#headers">Headers</a
    ><a href="#errors">Errors</a>
    <p></p>
    ${joined(chapters.map(renderEntry))}
    <p></p>
    <a href="#objects">Objects</a><a href="/api/v1/openapi.json">openapi.json</a>
  </nav>`;
}

function renderEntry({ id, name, operations }: Chapter): Html {
  const links = operations.map(
    ({ method, path, operation }) =>
      html`<a href="#${operation.operationId}" title="${operation.summary}"
        ><i>${method.toUpperCase()}</i>${path.replace(/^\/api\/v1/, '')}</a
      >`,
  );
  return html`<details>
    <summary><a href="#${id}">${name}</a></summary>
    <div>${joined(links)}</div>
  </details>`;
}

function operationsOf(document: OpenApiDocument, tag: string): Listed[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => ({ method, path, operation })),
  );
}

function renderChapter({ id, name, description, operations }: Chapter): Html {
  return html`<section>
    <h2 id="${id}">${name}</h2>
    <p class="muted">${description}</p>
    ${joined(operations.map(renderOperation))}
  </section>`;
}

function renderObjects(schemas: OpenApiDocument['components']['schemas']): Html {
  const objects = Object.entries(schemas)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(
      ([name, schema]) =>
        html`<section class="object" id="object-${name}">
          <h3>${name}</h3>
          <p>${prose(schema.description ?? '')}${schema.enum ? schema.enum.map(String).join(', ') : ''}</p>
          ${renderSchema(schema)}
        </section>`,
    );
  return html`<section>
    <h2 id="objects">Objects</h2>
    <p class="muted">What the answers hold.</p>
    ${joined(objects)}
  </section>`;
}
