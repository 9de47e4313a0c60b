import type { JsonSchema } from '../../openapi/json-schema.js';
import { html, type Html, joined, markup } from './html.js';

type Schemas = Readonly<Record<string, JsonSchema>>;

/** The fields of an object, or of each of several alternatives, as tables. */
export function renderSchema(schema: JsonSchema, components: Schemas): Html {
  const found = resolved(schema, components);
  const alternatives = found.anyOf;
  if (alternatives) {
    const tables = alternatives.map((each) => renderSchema(each, components));
    return joined(
      tables.map((table, index) =>
        index === 0
          ? table
          : html`<p class="muted">or</p>
              ${table}`,
      ),
    );
  }
  const properties = Object.entries(found.properties ?? {});
  if (properties.length === 0) return markup('');
  const required = new Set(found.required);
  const rows = properties.map(
    ([name, property]) =>
      html`<tr>
        <td><code>${name}</code></td>
        <td>${typeOf(property)}${required.has(name) ? '' : ', optional'}</td>
        <td>${property.description ?? resolved(property, components).description ?? ''}</td>
      </tr>`,
  );
  return html`<table>
    ${joined(rows)}
  </table>`;
}

function resolved(schema: JsonSchema, components: Schemas): JsonSchema {
  const reference = schema.$ref;
  if (reference === undefined) return schema;
  return components[reference.split('/').pop() ?? ''] ?? {};
}

/** A type in a few words: `string`, `uuid`, `Server`, `integer, 1 to 100`, `string[]`, `string or null`. */
function typeOf(schema: JsonSchema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').pop() ?? '';
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map(String).join(' | ');
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return alternatives.map((each) => typeOf(each)).join(' or ');
  if (schema.type === 'array') return `${typeOf(schema.items ?? {})}[]`;
  return `${schema.format ?? wordsOf(schema.type)}${boundsOf(schema)}`;
}

function boundsOf(schema: JsonSchema): string {
  const least = schema.minimum ?? schema.minLength;
  const most = schema.maximum ?? schema.maxLength;
  const unit = 'minLength' in schema || 'maxLength' in schema ? ' characters' : '';
  if (least !== undefined && most !== undefined) return `, ${least} to ${most}${unit}`;
  if (most !== undefined) return `, at most ${most}${unit}`;
  return least === undefined ? '' : `, at least ${least}${unit}`;
}

export function wordsOf(type: JsonSchema['type']): string {
  return Array.isArray(type) ? type.join(' or ') : (type ?? 'any');
}
