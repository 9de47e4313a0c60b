import type { OpenApiDocument } from '../../openapi/document.js';
import { html, type Html, joined, prose } from './html.js';

interface Failure {
  readonly description: string;
  readonly content: Readonly<Record<string, { readonly example: { readonly error: { readonly code: string } } }>>;
}

interface Header {
  readonly description: string;
}

const firstRequests = `curl -H 'Content-Type: application/json' -d '{"email": "you@example.com", "password": "…"}' \\
     $PANEL/api/v1/auth/login
curl -H "Authorization: Bearer $TOKEN" $PANEL/api/v1/servers?per_page=50`;

const idempotentRequest = `curl -H "Authorization: Bearer $TOKEN" -H 'Idempotency-Key: order-4711' \\
     -H 'Content-Type: application/json' -d '{"description": "backup script"}' $PANEL/api/v1/account/api-keys`;

const aboutLists = `\`page\` counts from 1, \`per_page\` is 1 to 100, \`search\` is a literal part of the name, \`sort\` takes
field names with commas between them and a leading \`-\` for descending. \`meta\` says how many there are.`;

const aboutRepeating = `Whoever sends an \`Idempotency-Key\` when creating something gets the first answer again when the
request is repeated within 24 hours, with the header \`Idempotent-Replayed\`, and nothing is created twice.`;

/** What holds for every endpoint, before the endpoints. */
export function renderOverview(document: OpenApiDocument): Html {
  const { description } = document.info as { description: string };
  return html`<p>${prose(description)}</p>
    <pre><code>${firstRequests}</code></pre>
    <section id="lists">
      <h3>Lists</h3>
      <p>${prose(aboutLists)}</p>
    </section>
    <section id="repeating">
      <h3>Repeating a request safely</h3>
      <p>${prose(aboutRepeating)}</p>
      <pre><code>${idempotentRequest}</code></pre>
    </section>
    ${renderHeaders(document)} ${renderErrors(document)}`;
}

function renderHeaders(document: OpenApiDocument): Html {
  const headers = Object.entries(document.components.headers as Readonly<Record<string, Header>>);
  const rows = headers.map(
    ([name, { description }]) =>
      html`<tr>
        <td><code>${name}</code></td>
        <td>${prose(description)}</td>
      </tr>`,
  );
  return html`<section id="headers">
    <h3>Headers of every answer</h3>
    <table class="short">
      ${joined(rows)}
    </table>
  </section>`;
}

function renderErrors(document: OpenApiDocument): Html {
  const failures = document.components.responses as Readonly<Record<string, Failure>>;
  const statuses = new Map<string, string>();
  for (const methods of Object.values(document.paths)) {
    for (const { responses } of Object.values(methods)) {
      for (const [status, answer] of Object.entries(responses as Readonly<Record<string, { $ref?: string }>>)) {
        if (answer.$ref !== undefined) statuses.set(status, answer.$ref.split('/').pop() ?? '');
      }
    }
  }
  const rows = [...statuses]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([status, name]) => {
      const { description = '', content = {} } = failures[name] ?? {};
      const code = content['application/json']?.example.error.code ?? '';
      return html`<tr id="error-${status}">
        <td>${status}</td>
        <td><code>${code}</code></td>
        <td>${prose(description)}</td>
      </tr>`;
    });
  return html`<section id="errors">
    <h3>Errors</h3>
    <table class="short">
      ${joined(rows)}
    </table>
  </section>`;
}
