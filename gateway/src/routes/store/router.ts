import { CartServiceService, CheckoutRequest, OrderServiceService, ProductServiceService } from '@panel/protos/billing';
import { listQuery, pageRequest } from '../../declaration/list-query.js';
import { required } from '../../declaration/present.js';
import { account, empty, json, list, one, route, type Route } from '../../declaration/route.js';
import { presentCart, presentCheckout, presentProduct } from './present.js';
import { cart, type CartItemBody, cartItemBody, checkoutBody, checkoutResult, couponBody, product } from './schema.js';

const store = '/api/v1/store';

export const storeRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${store}/products`,
    summary: 'What the store sells',
    access: account(ProductServiceService.listProducts),
    rate: 'general',
    query: listQuery('created_at', 'name'),
    response: list(product),
    handler: async ({ query, services, rpc }) => {
      const request = { page: pageRequest(query), includeInactive: false, eggId: '' };
      const { products, page } = await services.products.listProducts(request, rpc);
      return { items: products.map(presentProduct), page };
    },
  }),
  route({
    method: 'GET',
    path: `${store}/products/{id}`,
    summary: 'One product',
    access: account(ProductServiceService.getProduct),
    rate: 'general',
    response: one(product),
    handler: async ({ params, services, rpc }) => {
      const found = await services.products.getProduct({ productId: params.id }, rpc);
      return presentProduct(required(found.product, 'product'));
    },
  }),
  route({
    method: 'GET',
    path: `${store}/cart`,
    summary: 'Your cart',
    access: account(CartServiceService.getCart),
    rate: 'general',
    response: one(cart),
    handler: async ({ services, rpc }) => presentCart((await services.carts.getCart({}, rpc)).cart),
  }),
  route({
    method: 'POST',
    path: `${store}/cart`,
    summary: 'Put something into the cart',
    access: account(CartServiceService.addCartItem),
    rate: 'general',
    body: json(cartItemBody),
    response: one(cart),
    status: 201,
    handler: async ({ body, services, rpc }) =>
      presentCart((await services.carts.addCartItem(itemRequest(body), rpc)).cart),
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
    response: one(cart),
    handler: async ({ body, services, rpc }) => presentCart((await services.carts.applyCoupon(body, rpc)).cart),
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
    body: json(checkoutBody),
    response: one(checkoutResult),
    status: 201,
    handler: async ({ body, services, rpc }) => {
      const request = CheckoutRequest.create({
        paymentMethod: body.payment_method,
        items: body.items.map(itemRequest),
        couponCode: body.coupon,
        returnUrl: body.return_url,
        savePaymentMethod: body.save_payment_method,
      });
      return presentCheckout(await services.orders.checkout(request, rpc));
    },
  }),
];

function itemRequest({ product_id: productId, plan_id: planId, quantity, config }: CartItemBody) {
  const { server_name: serverName, environment } = config;
  return { productId, planId, quantity, config: { serverName, environment } };
}
