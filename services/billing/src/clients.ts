import type { Client, ServiceBase } from '@panel/rpc';
import { ActivityServiceService, MailServiceService, SettingsServiceService } from '@panel/protos/admin';
import { UserServiceService } from '@panel/protos/identity';
import { EggServiceService, ServerServiceService, UsageServiceService } from '@panel/protos/servers';
import type { BillingConfig } from './config.js';

export interface BillingClients {
  readonly servers: Pick<
    Client<typeof ServerServiceService>,
    | 'createServer'
    | 'getServer'
    | 'listServers'
    | 'updateServer'
    | 'deleteServer'
    | 'suspendServer'
    | 'unsuspendServer'
    | 'reinstallServer'
  >;
  readonly usage: Pick<Client<typeof UsageServiceService>, 'listHourlyUsage'>;
  readonly eggs: Pick<Client<typeof EggServiceService>, 'checkVariables' | 'getEgg'>;
  readonly users: Pick<Client<typeof UserServiceService>, 'batchGetUsers'>;
  readonly mail: Pick<Client<typeof MailServiceService>, 'enqueueMail'>;
  readonly activityClient: Pick<Client<typeof ActivityServiceService>, 'recordActivity'>;
  readonly settingsClient: Pick<Client<typeof SettingsServiceService>, 'getSettings'>;
}

export function createClients(config: BillingConfig, connectTo: ServiceBase['connectTo']): BillingClients {
  const servers = connectTo(config.serversAddress);
  const admin = connectTo(config.adminAddress);
  return {
    servers: servers.client(ServerServiceService),
    usage: servers.client(UsageServiceService),
    eggs: servers.client(EggServiceService),
    users: connectTo(config.identityAddress).client(UserServiceService),
    mail: admin.client(MailServiceService),
    activityClient: admin.client(ActivityServiceService),
    settingsClient: admin.client(SettingsServiceService),
  };
}
