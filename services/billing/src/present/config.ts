import { ItemConfig as ConfigMessage } from '@panel/protos/billing';
import type { ItemConfig } from '../domain/cart.js';

export function presentConfig({ serverName, environment }: ItemConfig): ConfigMessage {
  return ConfigMessage.create({ serverName, environment: { ...environment } });
}
