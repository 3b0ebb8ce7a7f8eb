-- What follows the data of a dump: keys, checks, indexes, then foreign keys.

ALTER TABLE ONLY shop.countries
    ADD CONSTRAINT countries_pkey PRIMARY KEY (country_code);

ALTER TABLE ONLY shop.categories
    ADD CONSTRAINT categories_pkey PRIMARY KEY (category_id);

ALTER TABLE ONLY shop.warehouses
    ADD CONSTRAINT warehouses_pkey PRIMARY KEY (warehouse_id);

ALTER TABLE ONLY shop.suppliers
    ADD CONSTRAINT suppliers_pkey PRIMARY KEY (supplier_id);

ALTER TABLE ONLY shop.products
    ADD CONSTRAINT products_pkey PRIMARY KEY (product_id);

ALTER TABLE ONLY shop.stock_levels
    ADD CONSTRAINT stock_levels_pkey PRIMARY KEY (product_id, warehouse_id);

ALTER TABLE ONLY shop.customers
    ADD CONSTRAINT customers_pkey PRIMARY KEY (customer_id);

ALTER TABLE ONLY shop.addresses
    ADD CONSTRAINT addresses_pkey PRIMARY KEY (address_id);

ALTER TABLE ONLY shop.orders
    ADD CONSTRAINT orders_pkey PRIMARY KEY (order_id);

ALTER TABLE ONLY shop.order_items
    ADD CONSTRAINT order_items_pkey PRIMARY KEY (order_id, line_no);

ALTER TABLE ONLY shop.payments
    ADD CONSTRAINT payments_pkey PRIMARY KEY (payment_id);

ALTER TABLE ONLY shop.shipments
    ADD CONSTRAINT shipments_pkey PRIMARY KEY (shipment_id);

ALTER TABLE ONLY shop.reviews
    ADD CONSTRAINT reviews_pkey PRIMARY KEY (review_id);

ALTER TABLE shop.activity
    ADD CONSTRAINT activity_pkey PRIMARY KEY (activity_id, occurred_at);

ALTER TABLE ONLY shop.categories
    ADD CONSTRAINT categories_slug_key UNIQUE (slug);

ALTER TABLE ONLY shop.warehouses
    ADD CONSTRAINT warehouses_code_key UNIQUE (code);

ALTER TABLE ONLY shop.products
    ADD CONSTRAINT products_sku_key UNIQUE (sku);

ALTER TABLE ONLY shop.customers
    ADD CONSTRAINT customers_public_id_key UNIQUE (public_id);

ALTER TABLE ONLY shop.addresses
    ADD CONSTRAINT addresses_position_key UNIQUE (customer_id, "position");

ALTER TABLE ONLY shop.orders
    ADD CONSTRAINT orders_number_key UNIQUE (number);

ALTER TABLE ONLY shop.payments
    ADD CONSTRAINT payments_reference_key UNIQUE (reference);

ALTER TABLE ONLY shop.payments
    ADD CONSTRAINT payments_attempt_key UNIQUE (order_id, attempt);

ALTER TABLE shop.countries
    ADD CONSTRAINT countries_code_check CHECK (country_code ~ '^[A-Z]{2}$');

ALTER TABLE shop.products
    ADD CONSTRAINT products_price_check CHECK (price > 0);

ALTER TABLE shop.products
    ADD CONSTRAINT products_discontinued_check CHECK (discontinued_at > created_at);

ALTER TABLE shop.stock_levels
    ADD CONSTRAINT stock_levels_quantity_check CHECK (on_hand >= 0 AND reserved >= 0);

ALTER TABLE shop.customers
    ADD CONSTRAINT customers_email_check CHECK (POSITION('@' IN email) > 1);

ALTER TABLE shop.orders
    ADD CONSTRAINT orders_updated_check CHECK (updated_at >= placed_at);

ALTER TABLE shop.order_items
    ADD CONSTRAINT order_items_quantity_check CHECK (quantity > 0);

ALTER TABLE shop.payments
    ADD CONSTRAINT payments_amount_check CHECK (amount >= 0);

ALTER TABLE shop.shipments
    ADD CONSTRAINT shipments_delivered_check CHECK (delivered_at IS NULL OR delivered_at > shipped_at);

ALTER TABLE shop.reviews
    ADD CONSTRAINT reviews_rating_check CHECK (rating BETWEEN 1 AND 5);

ALTER TABLE shop.activity
    ADD CONSTRAINT activity_duration_check CHECK (duration_ms >= 0);

CREATE INDEX products_category_price_idx
    ON shop.products USING btree (category_id, price);

CREATE INDEX products_supplier_idx ON shop.products USING btree (supplier_id);

CREATE INDEX products_attributes_idx
    ON shop.products USING gin (attributes jsonb_path_ops);

CREATE INDEX products_tags_idx ON shop.products USING gin (tags);

CREATE INDEX products_search_idx ON shop.products
    USING gin (to_tsvector('english'::regconfig, ((name || ' '::text) || description)));

CREATE INDEX products_available_idx ON shop.products
    USING btree (lower(name)) WHERE (discontinued_at IS NULL);

CREATE INDEX stock_levels_low_idx ON shop.stock_levels
    USING btree (warehouse_id, on_hand) WHERE (on_hand < 20);

CREATE UNIQUE INDEX customers_email_idx
    ON shop.customers USING btree (lower(email));

CREATE INDEX customers_country_name_idx
    ON shop.customers USING btree (country_code, full_name);

CREATE INDEX customers_preferences_idx
    ON shop.customers USING gin (preferences);

CREATE INDEX addresses_postal_idx
    ON shop.addresses USING btree (country_code, postal_code);

CREATE INDEX orders_customer_placed_idx
    ON shop.orders USING btree (customer_id, placed_at DESC);

CREATE INDEX orders_open_idx ON shop.orders USING btree (placed_at)
    WHERE (status = ANY (ARRAY['pending'::shop.order_status, 'paid'::shop.order_status]));

CREATE INDEX orders_month_idx ON shop.orders
    USING btree (date_trunc('month'::text, (placed_at AT TIME ZONE 'UTC'::text)));

CREATE INDEX orders_ship_to_idx ON shop.orders USING btree (ship_to);

CREATE INDEX order_items_product_idx
    ON shop.order_items USING btree (product_id) INCLUDE (quantity);

CREATE INDEX payments_failed_idx ON shop.payments
    USING btree (processed_at) WHERE (NOT succeeded);

CREATE INDEX shipments_order_idx ON shop.shipments USING btree (order_id);

CREATE INDEX shipments_tracking_idx
    ON shop.shipments USING hash (tracking_code);

CREATE INDEX shipments_under_way_idx ON shop.shipments
    USING btree (carrier, shipped_at) WHERE (delivered_at IS NULL);

CREATE INDEX reviews_product_rating_idx
    ON shop.reviews USING btree (product_id, rating, written_at DESC);

CREATE INDEX reviews_search_idx ON shop.reviews
    USING gin (to_tsvector('english'::regconfig, ((title || ' '::text) || body)));

CREATE INDEX activity_customer_idx
    ON shop.activity USING btree (customer_id, occurred_at);

CREATE INDEX activity_occurred_idx ON shop.activity USING brin (occurred_at);

CREATE INDEX activity_details_idx
    ON shop.activity USING gin (details jsonb_path_ops);

ALTER TABLE ONLY shop.categories
    ADD CONSTRAINT categories_parent_id_fkey FOREIGN KEY (parent_id)
    REFERENCES shop.categories(category_id);

ALTER TABLE ONLY shop.warehouses
    ADD CONSTRAINT warehouses_country_code_fkey FOREIGN KEY (country_code)
    REFERENCES shop.countries(country_code);

ALTER TABLE ONLY shop.suppliers
    ADD CONSTRAINT suppliers_country_code_fkey FOREIGN KEY (country_code)
    REFERENCES shop.countries(country_code);

ALTER TABLE ONLY shop.products
    ADD CONSTRAINT products_category_id_fkey FOREIGN KEY (category_id)
    REFERENCES shop.categories(category_id);

ALTER TABLE ONLY shop.products
    ADD CONSTRAINT products_supplier_id_fkey FOREIGN KEY (supplier_id)
    REFERENCES shop.suppliers(supplier_id);

ALTER TABLE ONLY shop.stock_levels
    ADD CONSTRAINT stock_levels_product_id_fkey FOREIGN KEY (product_id)
    REFERENCES shop.products(product_id);

ALTER TABLE ONLY shop.stock_levels
    ADD CONSTRAINT stock_levels_warehouse_id_fkey FOREIGN KEY (warehouse_id)
    REFERENCES shop.warehouses(warehouse_id);

ALTER TABLE ONLY shop.customers
    ADD CONSTRAINT customers_country_code_fkey FOREIGN KEY (country_code)
    REFERENCES shop.countries(country_code);

ALTER TABLE ONLY shop.addresses
    ADD CONSTRAINT addresses_customer_id_fkey FOREIGN KEY (customer_id)
    REFERENCES shop.customers(customer_id) ON DELETE CASCADE;

ALTER TABLE ONLY shop.addresses
    ADD CONSTRAINT addresses_country_code_fkey FOREIGN KEY (country_code)
    REFERENCES shop.countries(country_code);

ALTER TABLE ONLY shop.orders
    ADD CONSTRAINT orders_customer_id_fkey FOREIGN KEY (customer_id)
    REFERENCES shop.customers(customer_id);

ALTER TABLE ONLY shop.orders
    ADD CONSTRAINT orders_ship_to_fkey FOREIGN KEY (ship_to)
    REFERENCES shop.addresses(address_id);

ALTER TABLE ONLY shop.order_items
    ADD CONSTRAINT order_items_order_id_fkey FOREIGN KEY (order_id)
    REFERENCES shop.orders(order_id) ON DELETE CASCADE;

ALTER TABLE ONLY shop.order_items
    ADD CONSTRAINT order_items_product_id_fkey FOREIGN KEY (product_id)
    REFERENCES shop.products(product_id);

ALTER TABLE ONLY shop.payments
    ADD CONSTRAINT payments_order_id_fkey FOREIGN KEY (order_id)
    REFERENCES shop.orders(order_id);

ALTER TABLE ONLY shop.shipments
    ADD CONSTRAINT shipments_order_id_fkey FOREIGN KEY (order_id)
    REFERENCES shop.orders(order_id);

ALTER TABLE ONLY shop.shipments
    ADD CONSTRAINT shipments_warehouse_id_fkey FOREIGN KEY (warehouse_id)
    REFERENCES shop.warehouses(warehouse_id);

ALTER TABLE ONLY shop.reviews
    ADD CONSTRAINT reviews_product_id_fkey FOREIGN KEY (product_id)
    REFERENCES shop.products(product_id);

ALTER TABLE ONLY shop.reviews
    ADD CONSTRAINT reviews_customer_id_fkey FOREIGN KEY (customer_id)
    REFERENCES shop.customers(customer_id);

ALTER TABLE shop.activity
    ADD CONSTRAINT activity_customer_id_fkey FOREIGN KEY (customer_id)
    REFERENCES shop.customers(customer_id);
