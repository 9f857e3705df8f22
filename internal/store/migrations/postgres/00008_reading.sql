-- How much is unread is counted on every page: what counts once though it is unread in several feeds is found without the rest.
-- +goose Up

create index unread_copies on unread (user_id, group_id) where group_id <> entry_id;
