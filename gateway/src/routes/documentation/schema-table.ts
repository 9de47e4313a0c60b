import type { JsonSchema } from '../../openapi/json-schema.js';
import { html, type Html, joined, markup, prose } from './html.js';

const deepest = 3;

/**
 * The fields of an object, or of each of several alternatives, as tables; fields of objects inside it as `limits.memory`
 * and `files[].from`. What has a name of its own is only named, with a link to its table.
 */
export function renderSchema(schema: JsonSchema): Html {
  if (schema.$ref !== undefined) return html`<p>${typeOf(schema)}</p>`;
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) {
    const tables = alternatives.map((each) => renderSchema(each));
    const or = html`<p class="muted">or</p>`;
    return joined(tables.flatMap((table, index) => (index === 0 ? [table] : [or, table])));
  }
  const rows = rowsOf(schema, '', 0);
  if (rows.length === 0) return markup('');
  return html`<div class="scroll">
    <table>
      ${joined(rows)}
    </table>
  </div>`;
}

function rowsOf(schema: JsonSchema, prefix: string, depth: number): Html[] {
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const row = html`<tr>
      <td><code>${prefix}${name}</code></td>
      <td>${typeOf(property)}${required.has(name) ? '' : ', optional'}</td>
      <td>${prose(property.description ?? '')}${defaultOf(property)}</td>
    </tr>`;
    if (depth >= deepest) return [row];
    const inside = [property, ...(property.anyOf ?? [])].find(({ type }) => type === 'object') ?? property.items ?? {};
    const mark = inside === property.items ? '[]' : '';
    return [row, ...rowsOf(inside, `${prefix}${name}${mark}.`, depth + 1)];
  });
}

function defaultOf(schema: JsonSchema): string {
  if (!('default' in schema) || schema.default === null) return '';
  const text = typeof schema.default === 'string' ? schema.default : JSON.stringify(schema.default);
  if (text === '' || text === '{}' || text === '[]') return '';
  return `${schema.description === undefined ? '' : '; '}default ${text}`;
}

/** A type in a few words: `string`, `uuid`, `Server`, `integer, 1 to 100`, `string[]`, `string or null`. */
export function typeOf(schema: JsonSchema): Html {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').pop() ?? '';
    return html`<a href="#object-${name}">${name}</a>`;
  }
  if ('const' in schema) return html`${JSON.stringify(schema.const)}`;
  if (schema.enum) return html`${schema.enum.map(String).join(' | ')}`;
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) {
    return joined(alternatives.map((each, index) => html`${index === 0 ? '' : ' or '}${typeOf(each)}`));
  }
  if (schema.type === 'array') return html`${typeOf(schema.items ?? {})}[]`;
  const { additionalProperties: values } = schema;
  if (schema.type === 'object' && !schema.properties && typeof values === 'object') {
    return html`map of ${typeOf(values)}`;
  }
  return html`${schema.format ?? wordsOf(schema.type)}${boundsOf(schema)}`;
}

function boundsOf(schema: JsonSchema): string {
  const least = schema.minimum ?? schema.minLength;
  const most = schema.maximum ?? schema.maxLength;
  const unit = 'minLength' in schema || 'maxLength' in schema ? ' characters' : '';
  if (least !== undefined && most !== undefined) return `, ${least} to ${most}${unit}`;
  if (most !== undefined) return `, at most ${most}${unit}`;
  return least === undefined ? '' : `, at least ${least}${unit}`;
}

function wordsOf(type: JsonSchema['type']): string {
  return Array.isArray(type) ? type.join(' or ') : (type ?? 'any');
}
