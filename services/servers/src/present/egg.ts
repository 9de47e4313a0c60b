import { enumOf, messageFields } from '@panel/kit/records';
import {
  type Egg as EggMessage,
  type EggApplication as EggApplicationMessage,
  EggApplication_Outcome,
  type Nest as NestMessage,
} from '@panel/protos/servers';
import type { Egg } from '../domain/eggs/egg.js';
import type { EggApplication } from '../usecases/eggs/apply-egg.js';
import type { CountedNest } from '../usecases/nests/get-nest.js';

export function presentNest(nest: CountedNest): NestMessage {
  return { ...messageFields(nest), createTime: nest.createdAt, updateTime: nest.updatedAt };
}

export function presentEgg(egg: Egg): EggMessage {
  const { spec } = egg;
  const { config } = spec;
  return {
    ...messageFields(egg),
    spec: {
      ...messageFields(spec),
      config: { ...messageFields(config), stopGraceSeconds: config.stopGraceSeconds ?? 0 },
      variables: spec.variables.map(messageFields),
    },
    createTime: egg.createdAt,
    updateTime: egg.updatedAt,
  };
}

export function presentEggApplication(application: EggApplication): EggApplicationMessage {
  return { ...messageFields(application), outcome: enumOf(EggApplication_Outcome, application.outcome) };
}
