import {
  AddCartItemRequest,
  CartServiceService,
  CheckoutRequest,
  OrderServiceService,
  ProductServiceService,
} from '@panel/protos/billing';
import { listQuery, pageRequest } from '../../declaration/list-query.js';
import { account, empty, json, list, one, route, type Route } from '../../declaration/route.js';
import { cart, checkout, checkoutResult, chosenItem, couponBody, product } from './resource.js';

const store = '/api/v1/store';

export const storeRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${store}/products`,
    summary: 'What the store sells',
    access: account(ProductServiceService.listProducts),
    rate: 'general',
    query: listQuery('created_at', 'name'),
    response: list(product.schema),
    handler: async ({ query, services, rpc }) => {
      const request = { page: pageRequest(query), includeInactive: false, eggId: '' };
      const { products, page } = await services.products.listProducts(request, rpc);
      return { items: products.map(product.present), page };
    },
  }),
  route({
    method: 'GET',
    path: `${store}/products/{id}`,
    summary: 'One product',
    access: account(ProductServiceService.getProduct),
    rate: 'general',
    response: one(product.schema),
    handler: async ({ params, services, rpc }) =>
      product.present((await services.products.getProduct({ productId: params.id }, rpc)).product),
  }),
  route({
    method: 'GET',
    path: `${store}/cart`,
    summary: 'Your cart',
    access: account(CartServiceService.getCart),
    rate: 'general',
    response: one(cart.schema),
    handler: async ({ services, rpc }) => cart.present((await services.carts.getCart({}, rpc)).cart),
  }),
  route({
    method: 'POST',
    path: `${store}/cart`,
    summary: 'Put something into the cart',
    access: account(CartServiceService.addCartItem),
    rate: 'general',
    body: json(chosenItem.createBody),
    response: one(cart.schema),
    status: 201,
    handler: async ({ body, services, rpc }) =>
      cart.present((await services.carts.addCartItem(chosenItem.read(AddCartItemRequest, body), rpc)).cart),
  }),
  route({
    method: 'DELETE',
    path: `${store}/cart/{item-id}`,
    summary: 'Take something out of the cart',
    access: account(CartServiceService.removeCartItem),
    rate: 'general',
    response: empty,
    handler: async ({ params, services, rpc }) => {
      await services.carts.removeCartItem({ itemId: params.item_id }, rpc);
    },
  }),
  route({
    method: 'POST',
    path: `${store}/coupon`,
    summary: 'Apply a coupon to the cart',
    access: account(CartServiceService.applyCoupon),
    rate: 'general',
    body: json(couponBody),
    response: one(cart.schema),
    handler: async ({ body, services, rpc }) => cart.present((await services.carts.applyCoupon(body, rpc)).cart),
  }),
  route({
    method: 'DELETE',
    path: `${store}/coupon`,
    summary: 'Take the coupon off the cart',
    access: account(CartServiceService.removeCoupon),
    rate: 'general',
    response: empty,
    handler: async ({ services, rpc }) => {
      await services.carts.removeCoupon({}, rpc);
    },
  }),
  route({
    method: 'POST',
    path: `${store}/checkout`,
    summary: 'Buy what is in the cart, or the items given',
    access: account(OrderServiceService.checkout),
    rate: 'general',
    body: json(checkout.createBody),
    response: one(checkoutResult.schema),
    status: 201,
    handler: async ({ body, country, services, rpc }) => {
      const request = checkout.read(CheckoutRequest, body, { callerCountry: country });
      return checkoutResult.present(await services.orders.checkout(request, rpc));
    },
  }),
];
