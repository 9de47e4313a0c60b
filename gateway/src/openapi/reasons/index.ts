import type { Route } from '../../declaration/route.js';
import { accountEndpoints, accountReasons } from './account.js';
import { billingEndpoints, billingReasons } from './billing.js';
import { fileEndpoints, fileReasons } from './files.js';
import { generalReasons } from './general.js';
import type { EndpointReasons, ReasonEntries } from './reason.js';
import { serverEndpoints, serverReasons } from './servers.js';
import { sharedReasons, sharedReasonsOf } from './shared.js';

/** Groups of reasons with their titles, each reason in one of them. */
export const reasonGroups: Readonly<Record<string, ReasonEntries>> = {
  'Any endpoint': sharedReasons,
  'More than one resource': generalReasons,
  'Account, users and roles': accountReasons,
  'Servers, nodes, eggs, database hosts, registries, settings': serverReasons,
  'Files and backups': fileReasons,
  'Store and billing': billingReasons,
};

/** Every value of `details.reason`. */
export const allReasons: ReasonEntries = Object.assign({}, ...Object.values(reasonGroups));

/** Endpoints ("POST /api/v1/…") with the reasons of their own. */
export const endpointReasons: EndpointReasons<string> = {
  ...accountEndpoints,
  ...billingEndpoints,
  ...fileEndpoints,
  ...serverEndpoints,
};

type Declared = Parameters<typeof sharedReasonsOf>[0] & Pick<Route, 'method' | 'path'>;

/** The reasons that answers of a route may have, by status, each sorted by name. */
export function reasonsOf(route: Declared): ReadonlyMap<number, readonly string[]> {
  const names = new Set([...(endpointReasons[`${route.method} ${route.path}`] ?? []), ...sharedReasonsOf(route)]);
  const found = new Map<number, string[]>();
  for (const name of [...names].sort()) {
    const { status } = allReasons[name] ?? {};
    if (status === undefined) throw new TypeError(`${route.method} ${route.path} lists the unknown reason ${name}`);
    found.set(status, [...(found.get(status) ?? []), name]);
  }
  return found;
}
