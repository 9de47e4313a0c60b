import { Schema, type SchemaDefinition } from 'mongoose';
import type { Field, Fields, RecordOf } from '../records/fields.js';
import { schemaOptions } from './connection.js';
import type { Stored } from './records.js';

type DocumentWith<F extends Fields> = F extends { readonly _id: unknown }
  ? RecordOf<F>
  : RecordOf<F> extends { readonly id: string }
    ? Stored<RecordOf<F>>
    : RecordOf<F>;

export type DocumentOf<S> = S extends Schema<infer D> ? D : never;

/** Stores `id` as `_id`, unless that is declared. */
export function documentSchema<F extends Fields>(fields: F): Schema<DocumentWith<F>> {
  const { id: _id, ...others } = fields;
  const definition = definitionOf(fields['_id'] || !_id ? fields : { _id, ...others });
  return new Schema<DocumentWith<F>>(definition as never, schemaOptions);
}

function definitionOf(fields: Fields): SchemaDefinition {
  const entries = Object.entries(fields).map(([name, field]) => [name, optionsOf(field)]);
  return Object.fromEntries(entries) as SchemaDefinition;
}

function optionsOf({
  type,
  part,
  each,
  isOptional: _isOptional,
  ...options
}: Field<unknown> & { isOptional?: boolean }): object {
  if (type === Map) return { type, of: each?.type, ...options };
  if (each) return { type: [{ type: typeOf(each), ...(each.enum && { enum: each.enum }) }], ...options };
  return { type: typeOf({ type, part }), ...options };
}

function typeOf({ type, part }: Field<unknown>): unknown {
  return part ? new Schema(definitionOf(part), { ...schemaOptions, _id: false }) : type;
}
