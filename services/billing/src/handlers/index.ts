import { type CallContext, serve, type ServedService } from '@panel/rpc';
import {
  CartServiceService,
  CouponServiceService,
  CreditServiceService,
  InvoiceServiceService,
  OrderServiceService,
  PaymentServiceService,
  ProductServiceService,
  ProfileServiceService,
  ReportServiceService,
  ServiceServiceService,
} from '@panel/protos/billing';
import type { BillingContext } from '../context.js';
import type { ActivityEvent } from '../domain/activity.js';
import {
  couponDeletedEvent,
  couponEvent,
  grantEvent,
  invoiceEvent,
  orderEvent,
  productDeletedEvent,
  productEvent,
  serviceEvent,
} from '../present/activity-events.js';
import { getCart } from './cart/get-cart.js';
import { addCartItem } from './cart/add-cart-item.js';
import { removeCartItem } from './cart/remove-cart-item.js';
import { applyCoupon } from './cart/apply-coupon.js';
import { removeCoupon } from './cart/remove-coupon.js';
import { listCoupons } from './coupon/list-coupons.js';
import { createCoupon } from './coupon/create-coupon.js';
import { updateCoupon } from './coupon/update-coupon.js';
import { deleteCoupon } from './coupon/delete-coupon.js';
import { getCredits } from './credit/get-credits.js';
import { grantCredits } from './credit/grant-credits.js';
import { buyCredits } from './credit/buy-credits.js';
import { listInvoices } from './invoice/list-invoices.js';
import { getInvoice } from './invoice/get-invoice.js';
import { payInvoice } from './invoice/pay-invoice.js';
import { renderInvoice } from './invoice/render-invoice.js';
import { updateInvoiceStatus } from './invoice/update-invoice-status.js';
import { refundInvoice } from './invoice/refund-invoice.js';
import { checkout } from './order/checkout.js';
import { listOrders } from './order/list-orders.js';
import { getOrder } from './order/get-order.js';
import { cancelOrder } from './order/cancel-order.js';
import { listPaymentMethods } from './payment/list-payment-methods.js';
import { listStoredMethods } from './payment/list-stored-methods.js';
import { deleteStoredMethod } from './payment/delete-stored-method.js';
import { receiveWebhook } from './payment/receive-webhook.js';
import { listProducts } from './product/list-products.js';
import { getProduct } from './product/get-product.js';
import { createProduct } from './product/create-product.js';
import { updateProduct } from './product/update-product.js';
import { deleteProduct } from './product/delete-product.js';
import { getProfile } from './profile/get-profile.js';
import { updateProfile } from './profile/update-profile.js';
import { getRevenue } from './report/get-revenue.js';
import { getRecurringRevenue } from './report/get-recurring-revenue.js';
import { listDiscrepancies } from './report/list-discrepancies.js';
import { listServices } from './service/list-services.js';
import { getService } from './service/get-service.js';
import { cancelService } from './service/cancel-service.js';
import { resumeService } from './service/resume-service.js';
import { changePlan } from './service/change-plan.js';
import { retryService } from './service/retry-service.js';
import { updateService } from './service/update-service.js';
import { withActivity } from './with-activity.js';

/** Everything billing answers. */
export function createHandlers(context: BillingContext): ServedService[] {
  const logged = <Request, Response>(
    work: (request: Request, call: CallContext) => Promise<Response>,
    describe: (request: Request, response: Response) => ActivityEvent,
  ) => withActivity(context, work, describe);
  return [
    serve(CartServiceService, {
      getCart: getCart(context),
      addCartItem: addCartItem(context),
      removeCartItem: removeCartItem(context),
      applyCoupon: applyCoupon(context),
      removeCoupon: removeCoupon(context),
    }),
    serve(CouponServiceService, {
      listCoupons: listCoupons(context),
      createCoupon: logged(createCoupon(context), couponEvent('billing:coupon.create')),
      updateCoupon: logged(updateCoupon(context), couponEvent('billing:coupon.update')),
      deleteCoupon: logged(deleteCoupon(context), couponDeletedEvent),
    }),
    serve(CreditServiceService, {
      getCredits: getCredits(context),
      grantCredits: logged(grantCredits(context), grantEvent),
      buyCredits: logged(buyCredits(context), invoiceEvent('billing:credits.buy')),
    }),
    serve(InvoiceServiceService, {
      listInvoices: listInvoices(context),
      getInvoice: getInvoice(context),
      renderInvoice: renderInvoice(context),
      payInvoice: logged(payInvoice(context), invoiceEvent('billing:invoice.pay')),
      updateInvoiceStatus: logged(updateInvoiceStatus(context), invoiceEvent('billing:invoice.update')),
      refundInvoice: logged(refundInvoice(context), invoiceEvent('billing:invoice.refund')),
    }),
    serve(OrderServiceService, {
      checkout: logged(checkout(context), orderEvent('billing:order.create')),
      listOrders: listOrders(context),
      getOrder: getOrder(context),
      cancelOrder: logged(cancelOrder(context), orderEvent('billing:order.cancel')),
    }),
    serve(PaymentServiceService, {
      listPaymentMethods: listPaymentMethods(context),
      listStoredMethods: listStoredMethods(context),
      deleteStoredMethod: deleteStoredMethod(context),
      receiveWebhook: receiveWebhook(context),
    }),
    serve(ProductServiceService, {
      listProducts: listProducts(context),
      getProduct: getProduct(context),
      createProduct: logged(createProduct(context), productEvent('billing:product.create')),
      updateProduct: logged(updateProduct(context), productEvent('billing:product.update')),
      deleteProduct: logged(deleteProduct(context), productDeletedEvent),
    }),
    serve(ProfileServiceService, {
      getProfile: getProfile(context),
      updateProfile: updateProfile(context),
    }),
    serve(ReportServiceService, {
      getRevenue: getRevenue(context),
      getRecurringRevenue: getRecurringRevenue(context),
      listDiscrepancies: listDiscrepancies(context),
    }),
    serve(ServiceServiceService, {
      listServices: listServices(context),
      getService: getService(context),
      cancelService: logged(cancelService(context), serviceEvent('billing:service.cancel')),
      resumeService: logged(resumeService(context), serviceEvent('billing:service.resume')),
      changePlan: logged(changePlan(context), serviceEvent('billing:service.change-plan')),
      retryService: logged(retryService(context), serviceEvent('billing:service.retry')),
      updateService: logged(updateService(context), serviceEvent('billing:service.update')),
    }),
  ];
}
