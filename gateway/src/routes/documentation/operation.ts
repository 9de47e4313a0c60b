import { assertNever } from '@panel/kit';
import type { Body, Operation, Parameter } from '../../openapi/document.js';
import type { JsonSchema } from '../../openapi/json-schema.js';
import type { Access } from '../../declaration/route.js';
import { html, type Html, joined, markup, prose } from './html.js';
import { renderSchema, typeOf } from './schema-table.js';

/** An operation with its place. */
export interface Listed {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** One operation, folded. Its anchor lies inside, because a browser unfolds what a link leads into. */
export function renderOperation({ method, path, operation }: Listed): Html {
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  const isPlanned = '501' in responses;
  return html`<details class="op">
    <summary class="${isPlanned ? 'planned' : ''}">
      <span class="m ${method}">${method.toUpperCase()}</span> <code class="path">${path}</code>
      <span class="what">${prose(summary)}${isPlanned ? ' (planned)' : ''}</span>
      <span class="who">${whoMay(operation['x-access'])}</span>
    </summary>
    <div id="${operationId}">
      <p>${prose(description)} <a href="#${operationId}">Link to this</a></p>
      ${renderParameters(parameters)} ${renderBody(requestBody)} ${renderMessages(operation)}
      ${joined(Object.entries(responses).map(([status, answer]) => renderAnswer(status, answer)))}
      ${renderFailures(responses)}
    </div>
  </details>`;
}

/** In one or two words. */
function whoMay(access: Access): string {
  switch (access.kind) {
    case 'public':
      return 'public';
    case 'account':
      return 'signed in';
    case 'admin':
      return access.permission;
    case 'server':
      return access.permissions[0] ?? 'any access';
    default:
      return assertNever(access);
  }
}

function renderParameters(parameters: readonly Parameter[]): Html {
  if (parameters.length === 0) return markup('');
  const rows = parameters.map(
    ({ name, in: place, required, description, schema }) =>
      html`<tr>
        <td><code>${name}</code></td>
        <td>${place}${required ? '' : ', optional'}</td>
        <td>${typeOf(schema)}</td>
        <td>${prose(description ?? '')}</td>
      </tr>`,
  );
  return html`<h3>Parameters</h3>
    <div class="scroll">
      <table>
        ${joined(rows)}
      </table>
    </div>`;
}

function renderBody(body: Body | undefined): Html {
  if (!body) return markup('');
  const parts = Object.entries(body.content).map(
    ([type, { schema, example }]) =>
      html`<h3>Body: ${type}</h3>
        ${renderSchema(schema)} ${renderExample(example)}`,
  );
  return joined(parts);
}

function renderMessages({ 'x-websocket': messages }: Operation): Html {
  if (!messages) return markup('');
  return html`<h3>The panel sends</h3>
    ${renderSchema(messages.sends)}
    <h3>It understands</h3>
    ${renderSchema(messages.receives)}`;
}

interface Answer {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Body['content'];
}

function renderAnswer(status: string, answer: Answer): Html {
  if (answer.$ref !== undefined) return markup('');
  const parts = Object.entries(answer.content ?? {}).map(([type, { schema, example }]) =>
    example === undefined ? html`<p>${type}</p>` : html`${renderData(schema)} ${renderExample(example)}`,
  );
  return html`<h3>${status} ${answer.description ?? ''}</h3>
    ${joined(parts)}`;
}

/** What the envelope holds; of a list, one item. */
function renderData(schema: JsonSchema): Html {
  const data = schema.properties?.['data'] ?? schema;
  if (data.items === undefined) return renderSchema(data);
  const items =
    data.items.$ref === undefined
      ? html`<p>A list of</p>
          ${renderSchema(data.items)}`
      : html`<p>A list of ${typeOf(data.items)}.</p>`;
  const notes = schema.properties?.['meta']?.allOf?.[1];
  if (!notes) return items;
  return html`${items}
    <p>Its <code>meta</code> says besides</p>
    ${renderSchema(notes)}`;
}

function renderFailures(responses: Operation['responses']): Html {
  const statuses = Object.entries(responses).filter(([, answer]) => '$ref' in answer);
  const links = statuses.map(
    ([status], index) => html`${index === 0 ? '' : ', '}<a href="#error-${status}">${status}</a>`,
  );
  return html`<p class="muted">Can fail with ${joined(links)}.</p>`;
}

function renderExample(example: unknown): Html {
  if (example === undefined) return markup('');
  return html`<details class="more">
    <summary>Example</summary>
    <pre><code>${JSON.stringify(example, null, 2)}</code></pre>
  </details>`;
}
