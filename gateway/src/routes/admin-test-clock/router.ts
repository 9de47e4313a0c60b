import { TestClockServiceService } from '@panel/protos/admin';
import { admin, json, one, route, type Route } from '../../declaration/route.js';
import { advanceBody, readAdvance, testClock } from './resource.js';

const path = '/api/v1/admin/test-clock';

export const adminTestClockRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path,
    summary: 'The test clock, and whether all that is due has run',
    access: admin(TestClockServiceService.getTestClock),
    rate: 'general',
    response: one(testClock.schema),
    handler: async ({ services, rpc }) => testClock.present((await services.testClock.getTestClock({}, rpc)).testClock),
  }),
  route({
    method: 'POST',
    path,
    summary: 'Move the test clock forward, in steps of at most a day; it has arrived when it is settled',
    access: admin(TestClockServiceService.advanceTestClock),
    rate: 'general',
    body: json(advanceBody),
    response: one(testClock.schema),
    handler: async ({ body, services, rpc }) =>
      testClock.present((await services.testClock.advanceTestClock({ by: readAdvance(body) }, rpc)).testClock),
  }),
];
