export * from './address-guard.js';
export * from './client-ip.js';
export * from './host-port.js';
export * from './outbound-address.js';
