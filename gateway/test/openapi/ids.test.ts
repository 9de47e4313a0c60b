import { expect } from 'chai';
import { createDocument } from '../../src/openapi/document.js';
import { documentedRoutes } from '../../src/routes/index.js';

/** Ids that are no UUIDs. */
const isOther = (place: string) =>
  // given by clients
  place.endsWith('.external_id') ||
  // of the mail server
  place.endsWith('.message_id') ||
  // built-in roles of a server have names
  /SubuserRole\.id$|Subuser\..*role.*\.id$|subusers.*\.role\..*\.id$/.test(place) ||
  // of payment gateways or bookings
  /payments\.items\.id$|entries\.items\.id$|(?:credits|gift-codes).*\.entry.*\.id$/.test(place);

describe('ids in the OpenAPI document', () => {
  it('gives ids the format uuid in paths, parameters, bodies and answers', () => {
    const found: string[] = [];
    let count = 0;
    const check = (place: string, schema: unknown) => {
      if (isOther(place)) return;
      count += 1;
      if (!JSON.stringify(schema).includes('"format":"uuid"')) found.push(place);
    };
    const walk = (value: unknown, place: string): void => {
      if (Array.isArray(value)) return value.forEach((each) => walk(each, place));
      if (typeof value !== 'object' || value === null) return undefined;
      if ('in' in value && 'name' in value && 'schema' in value && isIdName(String(value.name)))
        check(`${place}.${String(value.name)}`, value.schema);
      for (const [name, each] of Object.entries(value)) {
        if (name === 'example' || name === 'examples') continue;
        if (name === 'properties') walkProperties(each as Record<string, unknown>, place);
        else walk(each, `${place}.${name}`);
      }
      return undefined;
    };
    const walkProperties = (properties: Record<string, unknown>, place: string) => {
      for (const [name, schema] of Object.entries(properties)) {
        if (isIdName(name)) check(`${place}.${name}`, schema);
        walk(schema, `${place}.${name}`);
      }
    };
    const { paths, components } = createDocument(documentedRoutes);
    walk({ paths, schemas: components.schemas }, '');
    expect(found).to.deep.equal([]);
    expect(count).to.be.greaterThan(300);
  });
});

function isIdName(name: string): boolean {
  return /(?:^|[_-])ids?$/.test(name);
}
