import { invalidFields, fieldProblem } from '@panel/kit/errors';
import type { PageQuery } from '@panel/kit/mongo';
import type { PageInfo } from '@panel/protos/common';
import { DatabaseEngine, type GetNodeMetricsRequest } from '@panel/protos/servers';
import type { EngineKind } from '../domain/databases/database.js';
import type { MetricsQuery } from '../domain/metrics/query.js';

const maxIds = 100;

/** Throws INVALID_FIELDS for too many. */
export function readIds(field: string, ids: readonly string[]): readonly string[] {
  if (ids.length > maxIds) throw invalidFields({ [field]: [fieldProblem('too_long', `must be at most ${maxIds}`)] });
  return ids;
}

export function readMetricsQuery({
  fromTime,
  toTime,
  stepSeconds,
}: Omit<GetNodeMetricsRequest, 'nodeId'>): MetricsQuery {
  return { from: fromTime ?? null, to: toTime ?? null, stepSeconds: stepSeconds ?? null };
}

/** Null: unspecified. */
export function readEngineKind(engine: DatabaseEngine): EngineKind | null {
  if (engine === DatabaseEngine.MYSQL) return 'mysql';
  return engine === DatabaseEngine.POSTGRESQL ? 'postgresql' : null;
}

export function pageInfo({ page, perPage }: PageQuery, total: number): PageInfo {
  return { page, perPage, total };
}
