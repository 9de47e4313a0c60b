import type { Client, ServiceBase } from '@panel/rpc';
import { ActivityServiceService, MailServiceService, SettingsServiceService } from '@panel/protos/admin';
import { ObligationServiceService } from '@panel/protos/billing';
import { OwnershipServiceService } from '@panel/protos/servers';
import type { IdentityConfig } from './config.js';

interface AdminClients {
  readonly mail: Client<typeof MailServiceService>;
  readonly activity: Client<typeof ActivityServiceService>;
  readonly settings: Client<typeof SettingsServiceService>;
}

export interface IdentityClients {
  /** Null: no mail. */
  readonly admin: AdminClients | null;
  /** Null: users cannot be deleted. */
  readonly ownership: Client<typeof OwnershipServiceService> | null;
  /** Null: nothing is sold. */
  readonly obligations: Client<typeof ObligationServiceService> | null;
}

export function createClients(
  { adminAddress, serversAddress, billingAddress }: IdentityConfig,
  connectTo: ServiceBase['connectTo'],
): IdentityClients {
  const connected = (address: string | null) => (address === null ? null : connectTo(address));
  const admin = connected(adminAddress);
  return {
    admin: admin && {
      mail: admin.client(MailServiceService),
      activity: admin.client(ActivityServiceService),
      settings: admin.client(SettingsServiceService),
    },
    ownership: connected(serversAddress)?.client(OwnershipServiceService) ?? null,
    obligations: connected(billingAddress)?.client(ObligationServiceService) ?? null,
  };
}
