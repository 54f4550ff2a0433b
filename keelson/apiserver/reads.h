// get, list and watch.
#pragma once

#include "keelson/apiserver/exchange.h"
#include "keelson/apiserver/objects.h"

namespace keelson::apiserver {

Result<Reply> GetObject(Exchange& exchange, Objects& objects);

// Answers the exchange itself.
void ListObjects(Exchange& exchange, Objects& objects);

// A list that a deletion works through.
Result<ListPage> SelectObjects(const Exchange& exchange, Objects& objects);

}  // namespace keelson::apiserver
